// The thread that does long reads (see `ReaderThread`), and all that it can do.
import './boards/closing-order.ts'
import './boards/past-days.ts'
import './listings/search.ts'
import './storage/reader-script.ts'
import './web/directory/sitemap.ts'
