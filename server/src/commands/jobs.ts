import { showJobs } from '../jobs/show.ts'
import { asJson, type Command } from './command.ts'
import { withStore } from './with-store.ts'

export const jobs: Command = {
  name: 'jobs',
  does: 'what the service does by itself: what waits, which process does it, how the last run went',
  options: ['json'],
  async run(given) {
    await withStore((store, config) => showJobs(store, config, asJson(given)))
  },
}
