#!/usr/bin/env node
// Here, and not in dist, so that npm finds and links it before anything is built.
import '../dist/cli.js'
