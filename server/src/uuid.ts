/**
 * Whether a part of an address is a UUID as this service writes it. Check before querying: PostgreSQL rejects a NUL in
 * any text.
 */
export const isUuid = (text: string): boolean => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text)
