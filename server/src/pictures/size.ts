/** Size of a stored picture, as shown on cards, in pixels. */
export const PICTURE_WIDTH = 640
export const PICTURE_HEIGHT = 360
export const PICTURE_MAX_BYTES = 80 * 1024
export const PICTURE_MEDIA_TYPE = 'image/webp'

/** Size of a share picture, in pixels. */
export const SHARE_WIDTH = 1200
export const SHARE_HEIGHT = 630

/** Far more than any share picture needs. */
export const SHARE_MAX_BYTES = 2 * 1024 * 1024

/** An image that cannot be used, now or later. */
export class UnusableImage extends Error {}

/** The picture process's exit code for an `UnusableImage`. */
export const UNUSABLE_EXIT_CODE = 3
