import { execFileSync } from 'node:child_process'
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'

/** A real file system, small enough to fill. */
export interface SmallDisk {
  folder: string
  /** Takes all the room that is left. */
  fill(): void
  /** Gives it back. */
  empty(): void
  makeReadOnly(): void
  remove(): void
}

/** Mounts one in memory. @returns undefined where this process may not mount: only root may, and not in every container */
export function mountSmallDisk(megabytes: number): SmallDisk | undefined {
  const folder = mkdtempSync(join(tmpdir(), 'placard-disk-'))
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', folder], { stdio: 'ignore' })
  } catch {
    rmSync(folder, { recursive: true })
    return undefined
  }
  chmodSync(folder, 0o755)
  const filler = join(folder, 'filler')
  return {
    folder,
    fill() {
      // In small pieces to the last byte: one large write would fail as a whole.
      for (let size = 1024 * 1024; size >= 512; ) {
        try {
          writeFileSync(filler, Buffer.alloc(size), { flag: 'a' })
        } catch {
          size /= 2
        }
      }
    },
    empty: () => rmSync(filler, { force: true }),
    makeReadOnly: () => void execFileSync('mount', ['-o', 'remount,ro', folder]),
    remove() {
      // Lazily, since a failed test may have left something running on it.
      execFileSync('umount', ['-l', folder])
      rmSync(folder, { recursive: true })
    },
  }
}

/** A real file system that turns read-only while files are open, as when its device fails. */
export interface FailingDisk {
  folder: string
  fail(): void
  remove(): void
}

/** Mounts one. @returns undefined where this process may not, see `mountSmallDisk` */
export function mountFailingDisk(): FailingDisk | undefined {
  const folder = mkdtempSync(join(tmpdir(), 'placard-disk-'))
  const image = `${folder}.img`
  const remove = () => {
    rmSync(folder, { recursive: true })
    rmSync(image, { force: true })
  }
  try {
    writeFileSync(image, Buffer.alloc(16 * 1024 * 1024))
    execFileSync('mkfs.ext4', ['-q', image], { stdio: 'ignore' })
    execFileSync('mount', ['-o', 'loop,errors=remount-ro', image, folder], { stdio: 'ignore' })
  } catch {
    remove()
    return undefined
  }
  const mounted = readFileSync('/proc/mounts', 'utf8').split('\n')
  const device = mounted.find(line => line.includes(` ${folder} `))?.split(' ')[0] ?? ''
  return {
    folder,
    fail: () => writeFileSync(`/sys/fs/ext4/${basename(device)}/trigger_fs_error`, '1'),
    remove() {
      execFileSync('umount', ['-l', folder])
      remove()
    },
  }
}
