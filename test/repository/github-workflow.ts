import { fileURLToPath, pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import { workplace } from '../programs.ts'

type Parser = typeof import('@actions/workflow-parser')

/** What GitHub's own parser finds wrong with a workflow, the contexts of its expressions included. */
export async function workflowFaults(content: string): Promise<string[]> {
  const { convertWorkflowTemplate, NoOperationTraceWriter, parseWorkflow } = await parser()
  const { context, value } = parseWorkflow({ name: 'workflow.yml', content }, new NoOperationTraceWriter())
  if (value) await convertWorkflowTemplate(context, value)
  return context.errors.getErrors().map(({ message }) => message)
}

/** Bundled first, since it imports JSON as bundlers do, not as Node does. */
async function parser(): Promise<Parser> {
  const place = workplace()
  const outfile = place.path('parser.mjs')
  const entry = fileURLToPath(import.meta.resolve('@actions/workflow-parser'))
  await build({
    entryPoints: [entry],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    logLevel: 'silent',
  })
  const loaded = (await import(pathToFileURL(outfile).href)) as Parser
  place.remove()
  return loaded
}
