/** This package's version. A copy of the one in package.json, which a bundle cannot read. */
export const VERSION = '0.3.0-dev'
