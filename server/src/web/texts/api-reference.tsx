import { ERRORS } from '@placard/contract'
import type { Links } from '../../http/links.ts'
import { Layout, renderDocument } from '../ui/layout.tsx'
import { type ApiDocument, type Call, callsOf, type Schema, schemaOf } from './api-document.ts'
import { curlExample } from './api-example.ts'
import { type Field, fieldOf, fieldsOf } from './api-fields.ts'
import { Book } from './book.tsx'
import { Embeds } from './embeds.tsx'

/** The API reference, made from the OpenAPI document that the service serves, so the two always agree. */
export function renderApiReference(document: ApiDocument, links: Links): string {
  const calls = callsOf(document)
  const errorFields = errorFieldsOf(document, calls)
  return renderDocument(
    <Layout
      links={links}
      title="API reference"
      description={`Every operation of the ${links.site.name} API: its fields, limits, replies and errors, with an example of each.`}
      path="/api"
      canonical={`${links.base}/api`}
    >
      <Book
        title="API reference"
        path="/api"
        parts={[...calls.map(partOf), ['embeds', 'Badges and oEmbed'], ['errors', 'Errors']]}
      >
        <p class="note">
          Version {document.info.version}, also as <a href="/openapi.json">OpenAPI document</a>.
        </p>
        <p>{document.info.description}</p>
        <p>
          Agents read the <a href="/agent-guide.md">guide</a> first: it says in which order to do what. The
          numbers in force are under <a href="/limits">limits</a>.
        </p>
        {calls.map(call => (
          <OneCall call={call} document={document} links={links} key={call.operation.operationId} />
        ))}
        <Embeds links={links} />
        <section>
          <h2 id="errors">Errors</h2>
          <p>Every error is JSON of this shape. Repeat a request only where its error says so.</p>
          <Fields fields={errorFields} />
          <h3>The codes</h3>
          <dl class="fields">
            {Object.entries(ERRORS).map(([code, { status, error }]) => (
              <div key={code} id={`error-${code}`}>
                <dt>
                  <code>{code}</code> <span>{status}</span>
                </dt>
                <dd>{error}</dd>
              </div>
            ))}
          </dl>
        </section>
      </Book>
    </Layout>,
  )
}

const partOf = ({ operation }: Call) =>
  [operation.operationId, operation.summary ?? operation.operationId] as const

interface CallProps {
  call: Call
  document: ApiDocument
  links: Links
}

function OneCall({ call, document, links }: CallProps) {
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
      {operation.description && <p>{operation.description}</p>}
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
          <div key={status} id={`${operation.operationId}-${status}`}>
            <dt>
              <code>{status}</code>
            </dt>
            <dd>
              <Described text={description} />
              {Object.entries(headers).map(([name, header]) => (
                <p key={name}>
                  With <code>{name}</code>: {header.description}
                </p>
              ))}
              {schema && !isError(schema) && (
                <details>
                  <summary>Fields of the {status} reply</summary>
                  <Fields fields={fieldsOf(schema, document.components?.schemas)} />
                </details>
              )}
            </dd>
          </div>
        )
      })}
    </dl>
  )
}

/** An error reply's description lists its codes; each links to its meaning. */
function Described({ text }: { text: string }) {
  const words = text.split(', ')
  if (!words.every(word => word in ERRORS)) return <p>{text}</p>
  return (
    <p>
      {words.map((code, place) => (
        <>
          {place > 0 && ', '}
          <a href={`#error-${code}`}>
            <code>{code}</code>
          </a>
        </>
      ))}
    </p>
  )
}

function Fields({ fields }: { fields: Field[] }) {
  return (
    <dl class="fields">
      {fields.map(({ name, type, required, description, limits, values }) => (
        <div key={name}>
          <dt>
            <code>{name}</code> <span>{type}</span>{' '}
            {required ? <strong>required</strong> : <span>optional</span>}
          </dt>
          <dd>
            {description && <p>{description}</p>}
            {limits.length > 0 && <p class="limits">{limits.join('; ')}</p>}
            {values.length > 0 && <Values name={name} values={values} />}
          </dd>
        </div>
      ))}
    </dl>
  )
}

const VALUES_SHOWN = 12

function Values({ name, values }: { name: string; values: string[] }) {
  const [only] = values
  if (values.length === 1) {
    return (
      <p>
        Always <code>{only}</code>
      </p>
    )
  }
  const list = (
    <p>
      {values.map((value, place) => (
        <>
          {place > 0 && ', '}
          <code>{value}</code>
        </>
      ))}
    </p>
  )
  if (values.length <= VALUES_SHOWN) return list
  return (
    <details>
      <summary>
        The {values.length} values of {name}
      </summary>
      {list}
    </details>
  )
}

/** The fields of every error. */
const isError = ({ properties = {} }: Schema) => 'code' in properties && 'error' in properties

function errorFieldsOf(document: ApiDocument, calls: readonly Call[]): Field[] {
  const responses = calls.flatMap(({ operation }) => Object.values(operation.responses))
  const schema = responses.map(({ content }) => schemaOf(content)).find(each => each && isError(each))
  return schema ? fieldsOf(schema, document.components?.schemas) : []
}
