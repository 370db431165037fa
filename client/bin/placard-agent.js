#!/usr/bin/env node
// Stands here, and not in dist, so that npm finds and links it before anything is built.
import '../dist/cli.js'
