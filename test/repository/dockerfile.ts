import { readFileSync } from 'node:fs'
import { DockerfileParser, type Instruction } from 'dockerfile-ast'

export interface Dockerfile {
  /** The image that the last stage begins with. */
  base: string
  /** Names of the stages, the last one without. */
  stages: (string | null)[]
  /** Every instruction of the last stage, as `NAME arguments`. */
  last: string[]
  env: Record<string, string>
  user: string
  entrypoint: string[]
  healthcheck: string[]
}

/** What the Dockerfile says, read as Docker does. */
export function readDockerfile(): Dockerfile {
  const path = new URL('../../deploy/container/Dockerfile', import.meta.url)
  const parsed = DockerfileParser.parse(readFileSync(path, 'utf8'))
  const from = parsed.getFROMs()
  const begin = from.at(-1)?.getRange().start.line ?? 0
  const ofLast = (instruction: Instruction) => instruction.getRange().start.line >= begin
  const last = parsed.getInstructions().filter(ofLast)
  const named = (name: string) => last.filter(each => each.getKeyword() === name)
  /** In brackets, since no shell reads them. */
  const words = (name: string): string[] =>
    JSON.parse(/\[.*\]$/.exec(named(name)[0]?.getArgumentsContent() ?? '')?.[0] ?? '[]')
  return {
    base: from.at(-1)?.getImage() ?? '',
    stages: from.map(each => each.getBuildStage()),
    last: last.map(each => `${each.getKeyword()} ${each.getArgumentsContent()}`),
    env: Object.fromEntries(
      parsed
        .getENVs()
        .filter(ofLast)
        .flatMap(each => each.getProperties())
        .map(property => [property.getName(), property.getValue() ?? '']),
    ),
    user: named('USER').at(-1)?.getArgumentsContent() ?? 'root',
    entrypoint: words('ENTRYPOINT'),
    healthcheck: words('HEALTHCHECK'),
  }
}
