import { ERRORS } from '@placard/contract'
import { licenseUrl } from '../../platform/config/site.ts'
import type { Links } from '../../platform/http/links.ts'
import { Entry } from '../ui/elements.tsx'
import { type ApiDocument, type Call, callsOf, curlExample, nameOf, type Schema, schemaOf } from './api-document.ts'
import { Fields, fieldOf, fieldsOf, withCommas } from './api-fields.tsx'
import { CodeLink, codesOf, Marked } from './error-codes.tsx'
import { renderText, Term } from './text-page.tsx'
import { Embeds, Webhooks } from './webhooks-and-embeds.tsx'

/** What the operator allows mirrors and other readers of the public data; nothing if that is not stated. */
function TermsOfData({ site }: Pick<Links, 'site'>) {
  const url = licenseUrl(site)
  if (site.license === undefined) return null
  const terms = url === undefined ? site.license : <a href={url} rel="license" children={url} />
  return <p>Terms of use of the public data: {terms}.</p>
}

/** The API reference, made from the OpenAPI document that the service serves, so the two always agree. */
export function renderApiReference(document: ApiDocument, links: Links): string {
  const calls = callsOf(document)
  const { schemas = {}, headers = {} } = document.components ?? {}
  return renderText(
    {
      links,
      title: 'API reference',
      description: `Every operation of the ${links.site.name} API: its fields, limits, replies and errors, with an example of each.`,
      path: '/api',
      parts: [
        ...calls.map(partOf),
        ['headers', 'Headers of replies'],
        ['embeds', 'Badges, oEmbed and feeds'],
        ['webhooks', 'Webhooks'],
        ['errors', 'Errors'],
      ],
      isNumbered: false,
    },
    <>
      <p class="note">
        Version {document.info.version}, also as <a href="/openapi.json">OpenAPI document</a>.
      </p>
      <p>{document.info.description}</p>
      <TermsOfData site={links.site} />
      <p>
        Agents read the <a href="/agent-guide.md">guide</a> first: it gives the steps in order. The numbers in force are
        under <a href="/limits">limits</a>.
      </p>
      {calls.map(call => (
        <OneCall call={call} document={document} links={links} key={call.operation.operationId} />
      ))}
      <section>
        <h2 id="headers">Headers of replies</h2>
        <dl class="fields">
          {Object.entries(headers).map(([name, { description }]) => (
            <Entry id={`header-${name}`} name={<code>{name}</code>} key={name}>
              {description}
            </Entry>
          ))}
        </dl>
      </section>
      <Embeds links={links} />
      <Webhooks links={links} />
      <section>
        <h2 id="errors">Errors</h2>
        <p>Every error is JSON of this shape. Repeat a request only if its error says so.</p>
        <Fields fields={fieldsOf({ $ref: ERROR }, schemas)} />
        <h3>The codes</h3>
        <dl class="fields">
          {codesOf(links).map(code => (
            <Term id={`error-${code}`} term={<CodeLink code={code} />} note={ERRORS[code].status} key={code}>
              {ERRORS[code].error}
            </Term>
          ))}
        </dl>
      </section>
    </>,
  )
}

const partOf = ({ operation }: Call) => [operation.operationId, operation.summary ?? operation.operationId] as const

function OneCall({ call, document, links }: { call: Call; document: ApiDocument; links: Links }) {
  const { method, path, operation, parameters, body } = call
  const definitions = document.components?.schemas
  return (
    <section>
      <h2 id={operation.operationId}>{operation.summary ?? operation.operationId}</h2>
      <p class="op">
        <code>
          <strong>{method}</strong> {path}
        </code>
      </p>
      {operation.description && (
        <p>
          <Marked text={operation.description} />
        </p>
      )}
      {parameters.length > 0 && (
        <>
          <h3>Parameters</h3>
          <Fields
            fields={parameters.map(({ name, in: where, required = false, description = '', schema }) => {
              const field = fieldOf(name, schema, required, definitions)
              return { ...field, type: `${field.type} in the ${where}`, description }
            })}
          />
        </>
      )}
      {body && (
        <>
          <h3>Body</h3>
          <p>
            JSON, as <code>Content-Type: application/json</code>
            {body.additionalProperties === false && ', with these fields and no others'}.
          </p>
          <Fields fields={fieldsOf(body, definitions)} />
        </>
      )}
      <h3>Example</h3>
      <pre class="prompt">
        <code>{curlExample(call, links.base)}</code>
      </pre>
      <h3>Replies</h3>
      <Replies call={call} document={document} />
    </section>
  )
}

function Replies({ call: { operation }, document }: { call: Call; document: ApiDocument }) {
  return (
    <dl class="fields">
      {Object.entries(operation.responses).map(([status, { description, headers = {}, content }]) => {
        const schema = schemaOf(content)
        return (
          <Entry id={`${operation.operationId}-${status}`} name={<code>{status}</code>} key={status}>
            <Described text={description} />
            {Object.keys(headers).length > 0 && <Headers names={Object.keys(headers)} />}
            {schema && !isError(schema) && (
              <details>
                <summary>Fields of the {status} reply</summary>
                <Fields fields={fieldsOf(schema, document.components?.schemas)} />
              </details>
            )}
          </Entry>
        )
      })}
    </dl>
  )
}

/** An error reply's description lists its codes; each links to its meaning. */
function Described({ text }: { text: string }) {
  const words = text.split(', ')
  if (!words.every(word => word in ERRORS)) return <p>{text}</p>
  return <p>{linksTo('error', words)}</p>
}

const Headers = ({ names }: { names: string[] }) => <p>With {linksTo('header', names)}</p>

/** Links to what this page says about error codes or headers. */
const linksTo = (kind: 'error' | 'header', names: string[]) =>
  withCommas(
    names.map(name => (
      <a href={`#${kind}-${name}`}>
        <code>{name}</code>
      </a>
    )),
  )

/** The name of the schema of every error. */
const ERROR = 'ErrorBody'

const isError = ({ $ref = '' }: Schema) => nameOf($ref) === ERROR
