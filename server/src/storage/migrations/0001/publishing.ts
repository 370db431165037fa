import { type Kysely, sql } from 'kysely'
import type { Engine } from '../../store.ts'

/** Attempts, listings, claims and their links, the audit log, and the service keys. */
export async function publishing(db: Kysely<unknown>, engine: Engine): Promise<void> {
  // Both engines take bigint, but only PostgreSQL has bigserial, and only `integer primary key` is SQLite's row id.
  const rowId = engine === 'postgres' ? 'bigserial' : 'integer'
  const bytes = sql.raw(engine === 'postgres' ? 'bytea' : 'blob')

  await db.schema
    .createTable('attempt')
    .addColumn('requestId', 'text', column => column.primaryKey())
    .addColumn('idempotencyKey', 'text', column => column.notNull().unique())
    .addColumn('secretHash', 'text', column => column.notNull())
    .addColumn('fingerprint', 'text', column => column.notNull())
    .addColumn('hostname', 'text', column => column.notNull())
    .addColumn('clientHash', 'text', column => column.notNull())
    .addColumn('day', 'text', column => column.notNull())
    .addColumn('nthOfDay', 'bigint', column => column.notNull())
    .addColumn('nthOfClient', 'bigint', column => column.notNull())
    .addColumn('nthOfHostname', 'bigint', column => column.notNull())
    .addColumn('state', 'text', column => column.notNull())
    .addColumn('leaseId', 'text')
    .addColumn('leaseUntil', 'bigint')
    .addColumn('code', 'text')
    .addColumn('reason', 'text')
    .addColumn('detail', 'text')
    .addColumn('createdAt', 'bigint', column => column.notNull())
    .addColumn('settledAt', 'bigint')
    .execute()
  // Unique, so that the database itself enforces the quotas. One lookup finds the last place in each.
  const quotas = {
    attempt_of_day: ['day', 'nthOfDay'],
    attempt_of_client: ['day', 'clientHash', 'nthOfClient'],
    attempt_of_hostname: ['day', 'hostname', 'nthOfHostname'],
  }
  for (const [name, columns] of Object.entries(quotas)) {
    await db.schema.createIndex(name).unique().on('attempt').columns(columns).execute()
  }
  // Indexes for finding old rows. They hold only rows still to check.
  await sql`create index attempt_unpublished on attempt ("createdAt") where state <> 'published'`.execute(db)
  await sql`create index attempt_client_known on attempt (day) where "clientHash" <> ''`.execute(db)

  await db.schema
    .createTable('listing')
    .addColumn('id', rowId, column => column.primaryKey())
    .addColumn('slug', 'text', column => column.notNull().unique())
    .addColumn('destinationKey', 'text', column => column.notNull().unique())
    .addColumn('url', 'text', column => column.notNull())
    .addColumn('hostname', 'text', column => column.notNull())
    .addColumn('category', 'text', column => column.notNull())
    .addColumn('title', 'text', column => column.notNull())
    .addColumn('description', 'text', column => column.notNull())
    .addColumn('siteName', 'text', column => column.notNull())
    .addColumn('language', 'text', column => column.notNull())
    .addColumn('imageUrl', 'text')
    .addColumn('publishedAt', 'bigint', column => column.notNull())
    .addColumn('expiresAt', 'bigint')
    .addColumn('hiddenAt', 'bigint')
    .addColumn('hiddenBy', 'text')
    .addColumn('hiddenReason', 'text')
    .addColumn('searchText', 'text', column => column.notNull().defaultTo(''))
    .execute()
  await db.schema
    .createIndex('listing_newest')
    .on('listing')
    .columns(['publishedAt desc', 'id desc'])
    .where('hiddenAt' as never, 'is', null)
    .execute()

  await db.schema
    .createTable('claim')
    .addColumn('id', 'text', column => column.primaryKey())
    .addColumn('listingId', 'bigint', column => column.notNull().unique().references('listing.id'))
    .addColumn('requestId', 'text', column => column.notNull().unique().references('attempt.requestId'))
    .addColumn('approvalScope', 'text', column => column.notNull())
    .addColumn('rulesVersion', 'text', column => column.notNull())
    .addColumn('approvedAt', 'bigint', column => column.notNull())
    .addColumn('destinationAsSent', 'text', column => column.notNull())
    .addColumn('linkVersion', 'integer', column => column.notNull())
    .addColumn('ownerTokenHash', 'text', column => column.notNull())
    .execute()

  await db.schema
    .createTable('audit_event')
    .addColumn('id', rowId, column => column.primaryKey())
    .addColumn('listingId', 'bigint', column => column.notNull().references('listing.id'))
    .addColumn('action', 'text', column => column.notNull())
    .addColumn('actor', 'text', column => column.notNull())
    .addColumn('reason', 'text', column => column.notNull())
    .addColumn('at', 'bigint', column => column.notNull())
    .execute()

  await db.schema
    .createTable('service_key')
    .addColumn('id', rowId, column => column.primaryKey())
    .addColumn('checkValue', 'text', column => column.notNull().unique())
    .addColumn('firstUsedAt', 'bigint', column => column.notNull())
    .addColumn('lostAt', 'bigint')
    .execute()

  await db.schema
    .createTable('renewed_link')
    .addColumn('claimId', 'text', column => column.notNull().references('claim.id').onDelete('cascade'))
    .addColumn('linkVersion', 'bigint', column => column.notNull())
    .addColumn('keyCheckValue', 'text', column => column.notNull())
    .addPrimaryKeyConstraint('renewed_link_key', ['claimId', 'linkVersion'])
    .execute()

  await db.schema
    .createTable('write_probe')
    .addColumn('id', 'bigint', column => column.primaryKey())
    .addColumn('filler', bytes, column => column.notNull())
    .execute()
}
