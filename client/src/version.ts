/** Version of this package, as in its package.json, which a bundle does not have beside it. */
export const VERSION = '0.1.0'
