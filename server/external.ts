/** Packages that the build does not pack: they have native parts, or are files that we read. */
export const EXTERNAL = ['better-sqlite3', 'sharp', '@fontsource-variable/archivo', 'pg-native']
