/**
 * Whether a part of an address is a UUID as this service writes it. It may hold anything, and PostgreSQL takes no NUL in
 * a text, not even to find nothing.
 */
export const isUuid = (text: string): boolean => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text)
