import { type Destination, movePictures } from '../../domain/pictures/move-pictures.ts'
import { openStorage } from '../../domain/pictures/storage.ts'
import { COMMAND } from '../../platform/lib/package.ts'
import { storeCommand, UsageError } from './command.ts'

export const pictures = storeCommand({
  name: 'pictures',
  usage: 'move --to storage|database',
  does: 'move the pictures of listings to object storage (STORAGE_URL), or back, while the service runs',
  argumentsMax: 1,
  options: ['to'],
  read({ to }, word) {
    if (word !== 'move') throw new UsageError('pictures needs what to do: move')
    if (to === 'storage' || to === 'database') return to
    throw new UsageError('pictures move needs --to storage or --to database')
  },
  async act(store, to, config) {
    const storage = openStorage(config)
    if (!storage) throw new Error('STORAGE_URL is not set: set it to the object storage of the pictures')
    const moved = await movePictures({ store, storage, clock: Date.now }, to)
    return [{ to, moved }, `Pictures moved to ${WHERE[to]}: ${moved}. “${COMMAND} doctor” counts both places.`]
  },
})

const WHERE: Record<Destination, string> = { storage: 'object storage', database: 'the database' }
