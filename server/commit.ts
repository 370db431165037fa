import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'

/** Hexadecimal digits of a commit, which no other commit here begins with. */
const LENGTH = 12

/**
 * Returns the short hash of the commit that a folder is a checkout of; undefined if it is none, such as an unpacked
 * archive, even if it lies inside the checkout of another project.
 *
 * @param given a commit that whoever builds knows, where git is absent, as in a container
 */
export function commitOf(root: string, given = process.env.PLACARD_COMMIT): string | undefined {
  if (given && /^[0-9a-f]{7,64}$/.test(given)) return given.slice(0, LENGTH)
  if (!existsSync(join(root, '.git'))) return undefined
  try {
    const args = ['rev-parse', `--short=${LENGTH}`, 'HEAD']
    return execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim()
  } catch {
    // No git, no commit yet, or a folder of somebody else: a build needs none of them.
    return undefined
  }
}
