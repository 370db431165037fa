import type { Field } from './api-fields.ts'

/** What each field of a request or a reply is called, holds and means. */
export function Fields({ fields }: { fields: Field[] }) {
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
