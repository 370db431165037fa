/** A visitor's report, and what the operator did about it, if anything yet. */
export interface SeedReport {
  hoursAgo: number
  reason: string
  details: string
  contact?: string
  /** Some hours later. */
  settlement?: string
  isHidden?: boolean
}

export const REPORTS: readonly SeedReport[] = [
  {
    hoursAgo: 460,
    reason: 'copyright',
    details: 'The picture on the front page is mine.',
    contact: 'ines@fotoluz.example',
    settlement: 'The owner took the picture down.',
  },
  {
    hoursAgo: 390,
    reason: 'other',
    details: 'El botón de compra no hace nada.',
    settlement: 'A fault of the website itself. Nothing to do here.',
  },
  {
    hoursAgo: 300,
    reason: 'malicious',
    details: 'It asked for the recovery phrase of my wallet.',
    settlement: 'True. Hidden.',
    isHidden: true,
  },
  {
    hoursAgo: 220,
    reason: 'misleading',
    details: 'They pretend to be an office of the city.',
    settlement: 'True. Hidden.',
    isHidden: true,
  },
  {
    hoursAgo: 150,
    reason: 'adult',
    details: '',
    settlement: 'Looked at: these are life drawing classes.',
  },
  {
    hoursAgo: 101,
    reason: 'unwanted',
    details: 'We closed last year.',
    contact: 'hello@closed.example',
    settlement: 'The owner asked for it. Hidden.',
    isHidden: true,
  },
  { hoursAgo: 55, reason: 'misleading', details: 'The price is for a week, and not for a month.' },
  { hoursAgo: 31, reason: 'other', details: 'Der Link zur Anmeldung ist kaputt.' },
  { hoursAgo: 20, reason: 'copyright', details: 'Those are my recipes.', contact: '+39 055 0000000' },
  { hoursAgo: 6, reason: 'misleading', details: '' },
]
