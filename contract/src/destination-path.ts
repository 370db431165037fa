/** Files that web servers send for a folder. */
const FOLDER_PAGES = new Set('index.html index.htm index.php index.jsp default.htm default.asp default.aspx'.split(' '))

/**
 * Returns the names of an address's path, in one spelling for all that lead to one page. Expects the URL parser's
 * `pathname`. Runs of slashes count as one, as on most servers. Letter case stays, because servers distinguish it.
 */
export function pathNames(pathname: string): string[] {
  if (pathname === '/') return []
  const names = normalizeEscapes(pathname)
    .split('/')
    .map(withoutIdleEnd)
    .filter(name => name !== '')
  if (FOLDER_PAGES.has(names.at(-1)?.toLowerCase() ?? '')) names.pop()
  return names
}

/** Empty parameters and escaped blanks: added by accident, and never part of a page's name. */
const IDLE_ENDS = [';', '%20', '%09', '%0A', '%0D', '%C2%A0']

function withoutIdleEnd(name: string): string {
  const end = IDLE_ENDS.find(end => name.endsWith(end))
  return end === undefined ? name : withoutIdleEnd(name.slice(0, -end.length))
}

/**
 * Gives each character of a path one spelling (RFC 3986 section 6.2.2): unreserved ones plain, reserved ones as sent,
 * all others as an escape in upper case. A percent sign that starts no escape becomes %25, so that decoding the rest
 * cannot form a new one.
 */
function normalizeEscapes(path: string): string {
  return path.replace(/%([0-9a-f]{2})|[^\w.~!$&'()*+,;=:@/-]/gi, (found, hex: string | undefined) => {
    if (hex === undefined) return encodeURIComponent(found)
    const character = String.fromCharCode(Number.parseInt(hex, 16))
    return /[\w.~-]/.test(character) ? character : found.toUpperCase()
  })
}
