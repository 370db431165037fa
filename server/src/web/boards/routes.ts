import type { FastifyInstance } from 'fastify'
import { type BoardPageDependencies, boardPageRoutes, categoryBoardRoutes } from './board-routes.ts'
import { pastDayRoutes } from './past-day-routes.ts'
import { type BoardShareDependencies, boardShareRoutes } from './share.ts'

/** Every page about boards, each subject in a context of its own, so that its headers stay its own. */
export async function boardRoutes(
  app: FastifyInstance,
  deps: BoardPageDependencies & BoardShareDependencies,
): Promise<void> {
  await app.register(boardPageRoutes, deps)
  await app.register(boardShareRoutes, deps)
  await app.register(categoryBoardRoutes, deps)
  await app.register(pastDayRoutes, deps)
}
