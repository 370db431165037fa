import { CATEGORIES } from '@placard/contract'
import { daysMs } from '../../src/platform/lib/time.ts'
import { NOON } from '../support/service.ts'
import type { Pages } from './page-app.ts'

const NAMES: readonly [host: string, title: string, description: string, language?: string][] = [
  [
    'sunrise-bakery.com',
    'Sunrise Bakery',
    'Sourdough, rye and Saturday cinnamon rolls from the old mill by the river.',
  ],
  [
    'tidepool.dev',
    'Tidepool: feature flags that fit in one file',
    'No server, no seats. Commit a file, ship a switch.',
  ],
  ['lenas-portfolio.net', 'Lena Okafor, architect', ''],
  ['buchladen-am-markt.de', 'Buchladen am Markt', 'Neue und gebrauchte Bücher, und ein Sofa zum Lesen.', 'de'],
  [
    'quietmail.app',
    'Quietmail',
    'Mail that waits until you ask for it. Two deliveries a day, none at night, and a search that finds what you meant instead of what you typed, without reading your letters on somebody else’s computer.',
  ],
  ['مكتبة.com', 'مكتبة النيل', 'كتب وقصص للأطفال والكبار', 'ar'],
  ['longword.io', 'Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft', 'x'.repeat(180)],
]

/** Fills a board with what real and awkward websites say about themselves. */
export async function fillBoard({ addListing }: Pages, count: number): Promise<void> {
  const samples = Array.from({ length: Math.ceil(count / NAMES.length) }, () => NAMES)
    .flat()
    .slice(0, count)
  for (const [place, [hostname, title, description, language = 'en']] of samples.entries()) {
    await addListing({
      slug: `sample-${place}`,
      hostname,
      title,
      description,
      language,
      url: `https://${hostname}/`,
      category: CATEGORIES[(place * 5) % CATEGORIES.length] ?? 'Design',
      publishedAt: NOON - daysMs(place),
    })
  }
}
