interface Kept<Subject> {
  /** How long an answer is kept, in milliseconds. */
  forMs: number
  keyOf: (subject: Subject) => string
  /** How many answers are kept: the one read first is dropped first. */
  max: number
}

/**
 * Keeps answers for a while, so that a hot path reads what is dear only now and then. Whoever asks during a read waits
 * for it, and a failure is not kept.
 *
 * @returns how to ask, at a time in Unix milliseconds
 */
export function remembered<Subject, Answer>(
  read: (subject: Subject, now: number) => Promise<Answer>,
  { forMs, keyOf, max }: Kept<Subject>,
): (subject: Subject, now: number) => Promise<Answer> {
  const answers = new Map<string, { at: number; answer: Promise<Answer> }>()
  return (subject, now) => {
    const key = keyOf(subject)
    const known = answers.get(key)
    if (known && now >= known.at && now < known.at + forMs) return known.answer
    const answer = read(subject, now)
    answers.delete(key)
    answers.set(key, { at: now, answer })
    const [oldest] = answers.keys()
    if (answers.size > max && oldest !== undefined) answers.delete(oldest)
    answer.catch(() => {
      if (answers.get(key)?.answer === answer) answers.delete(key)
    })
    return answer
  }
}
