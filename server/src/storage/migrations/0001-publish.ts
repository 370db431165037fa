import type { Kysely } from 'kysely'
import type { Engine } from '../store.ts'

/** Attempts, listings, claims, board totals and the audit log. */
export async function up(db: Kysely<unknown>, engine: Engine): Promise<void> {
  // Both engines take bigint, but only PostgreSQL has bigserial, and only `integer primary key` is SQLite's row id.
  const rowId = engine === 'postgres' ? 'bigserial' : 'integer'

  await db.schema
    .createTable('attempt')
    .addColumn('request_id', 'text', column => column.primaryKey())
    .addColumn('idempotency_key', 'text', column => column.notNull().unique())
    .addColumn('secret_hash', 'text', column => column.notNull())
    .addColumn('fingerprint', 'text', column => column.notNull())
    .addColumn('hostname', 'text', column => column.notNull())
    .addColumn('client_hash', 'text', column => column.notNull())
    .addColumn('day', 'text', column => column.notNull())
    .addColumn('nth_of_day', 'bigint', column => column.notNull())
    .addColumn('nth_of_client', 'bigint', column => column.notNull())
    .addColumn('nth_of_hostname', 'bigint', column => column.notNull())
    .addColumn('state', 'text', column => column.notNull())
    .addColumn('lease_id', 'text')
    .addColumn('lease_until', 'bigint')
    .addColumn('code', 'text')
    .addColumn('reason', 'text')
    .addColumn('detail', 'text')
    .addColumn('created_at', 'bigint', column => column.notNull())
    .addColumn('settled_at', 'bigint')
    .execute()
  // Unique, so that the database itself holds the quotas; and the last place in each is found at one look.
  const quotas = {
    attempt_of_day: ['day', 'nth_of_day'],
    attempt_of_client: ['day', 'client_hash', 'nth_of_client'],
    attempt_of_hostname: ['day', 'hostname', 'nth_of_hostname'],
  }
  for (const [name, columns] of Object.entries(quotas)) {
    await db.schema.createIndex(name).unique().on('attempt').columns(columns).execute()
  }

  await db.schema
    .createTable('listing')
    .addColumn('id', rowId, column => column.primaryKey())
    .addColumn('slug', 'text', column => column.notNull().unique())
    .addColumn('destination_key', 'text', column => column.notNull().unique())
    .addColumn('url', 'text', column => column.notNull())
    .addColumn('hostname', 'text', column => column.notNull())
    .addColumn('category', 'text', column => column.notNull())
    .addColumn('title', 'text', column => column.notNull())
    .addColumn('description', 'text', column => column.notNull())
    .addColumn('site_name', 'text', column => column.notNull())
    .addColumn('language', 'text', column => column.notNull())
    .addColumn('image_url', 'text')
    .addColumn('published_at', 'bigint', column => column.notNull())
    .addColumn('expires_at', 'bigint')
    .addColumn('hidden_at', 'bigint')
    .addColumn('hidden_by', 'text')
    .addColumn('hidden_reason', 'text')
    .execute()
  await db.schema
    .createIndex('listing_newest')
    .on('listing')
    .columns(['published_at desc', 'id desc'])
    .where('hidden_at' as never, 'is', null)
    .execute()

  await db.schema
    .createTable('claim')
    .addColumn('id', 'text', column => column.primaryKey())
    .addColumn('listing_id', 'bigint', column => column.notNull().unique().references('listing.id'))
    .addColumn('request_id', 'text', column => column.notNull().unique().references('attempt.request_id'))
    .addColumn('approval_scope', 'text', column => column.notNull())
    .addColumn('rules_version', 'text', column => column.notNull())
    .addColumn('approved_at', 'bigint', column => column.notNull())
    .addColumn('destination_as_sent', 'text', column => column.notNull())
    .addColumn('link_version', 'integer', column => column.notNull())
    .addColumn('owner_token_hash', 'text', column => column.notNull())
    .execute()

  await db.schema
    .createTable('board_total')
    .addColumn('board', 'text', column => column.notNull())
    .addColumn('destination_key', 'text', column => column.notNull())
    .addColumn('total_cents', 'bigint', column => column.notNull())
    .addColumn('reached_at', 'bigint', column => column.notNull())
    .addPrimaryKeyConstraint('board_total_pk', ['board', 'destination_key'])
    .execute()
  await db.schema
    .createIndex('board_total_order')
    .on('board_total')
    .columns(['board', 'total_cents desc', 'reached_at', 'destination_key'])
    .execute()

  await db.schema
    .createTable('audit_event')
    .addColumn('id', rowId, column => column.primaryKey())
    .addColumn('listing_id', 'bigint', column => column.notNull().references('listing.id'))
    .addColumn('action', 'text', column => column.notNull())
    .addColumn('actor', 'text', column => column.notNull())
    .addColumn('reason', 'text', column => column.notNull())
    .addColumn('at', 'bigint', column => column.notNull())
    .execute()
}
