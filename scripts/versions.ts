const SHAPE = /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-dev)?$/

/** What the versions between two releases end in: a pre-release by the rules of SemVer, below the release it leads to. */
const DEVELOPMENT = '-dev'

/** Returns whether a version can be released. */
export const isRelease = (version: string): boolean => SHAPE.test(version) && !version.endsWith(DEVELOPMENT)

/** Returns the development version that follows a release: 0.3.0-dev follows 0.2.0, and 0.2.1, too. */
export function developmentAfter(release: string): string {
  const [major = 0, minor = 0] = numbersOf(release)
  return `${major}.${minor + 1}.0${DEVELOPMENT}`
}

/** Returns whether a release would be a step back from the present version, which may lead to this very release. */
export function isLower(release: string, present: string): boolean {
  const [one, other] = [numbersOf(release), numbersOf(present)]
  const nth = one.findIndex((number, index) => number !== other[index])
  return nth >= 0 && (one[nth] ?? 0) < (other[nth] ?? 0)
}

const numbersOf = (version: string): number[] => (SHAPE.exec(version) ?? []).slice(1, 4).map(Number)
