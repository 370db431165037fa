import { appeals, decideAppeal } from './appeals.ts'
import { audit } from './audit.ts'
import { backup, restoreBackupCommand } from './backup.ts'
import { block, blocks, unblock } from './blocks.ts'
import { changeKey } from './change-key.ts'
import type { Command } from './command.ts'
import { consoleEnd, consoleLink } from './console.ts'
import { doctor } from './doctor.ts'
import { exportCommand, importCommand } from './export.ts'
import { findings, reviewAgain, settleFinding } from './findings.ts'
import { jobs } from './jobs.ts'
import { list } from './list.ts'
import { migrateCommand } from './migrate.ts'
import { hide, restore } from './moderate.ts'
import { payments, reconcile, settlePayment } from './payments.ts'
import { reissueLink } from './reissue-link.ts'
import { reports, settle } from './reports.ts'
import { end, extend } from './terms.ts'

/** Every command, in the order of the help. */
export const COMMANDS: readonly Command[] = [
  list,
  hide,
  restore,
  end,
  extend,
  block,
  unblock,
  blocks,
  reissueLink,
  reports,
  settle,
  findings,
  settleFinding,
  reviewAgain,
  appeals,
  decideAppeal,
  consoleLink,
  consoleEnd,
  audit,
  payments,
  settlePayment,
  reconcile,
  changeKey,
  migrateCommand,
  backup,
  restoreBackupCommand,
  exportCommand,
  importCommand,
  jobs,
  doctor,
]
