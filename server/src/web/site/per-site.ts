import type { Site } from '../../site/site.ts'

/** Makes something once for each site: in tests, one process serves several. */
export function perSite<Made>(make: (site: Site) => Made): (site: Site) => Made {
  const made = new WeakMap<Site, Made>()
  return site => {
    const known = made.get(site)
    if (known !== undefined) return known
    const fresh = make(site)
    made.set(site, fresh)
    return fresh
  }
}
