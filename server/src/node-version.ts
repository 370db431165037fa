// Imported first by every entry point: on an older Node, the SQLite driver kills the process without a message.
const REQUIRED = 24

if (Number(process.versions.node.split('.')[0]) < REQUIRED) {
  console.error(
    `Placard needs Node ${REQUIRED} or newer, but this is ${process.versions.node}. Install Node ${REQUIRED}: https://nodejs.org. In a clone of the repository, npm start brings its own.`,
  )
  process.exit(1)
}
