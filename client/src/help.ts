/** What `placard-agent help` prints. */
export const HELP = `placard-agent: publish and quote on a Placard service

  placard-agent capabilities
      what the service offers now, and its categories
  placard-agent quote DESTINATION --category C --board all|today --target USD
      the price of a place on a board, and the link where a person must confirm it
      in a browser; it charges and reserves nothing
  placard-agent publish DESTINATION --category C --user-approved
      one free listing; the same command again gives the receipt again

Everywhere
  --service URL          the service (or PLACARD_SERVICE); https, except on loopback
  --json                 output for programs; an error is one JSON line on stderr
  --version, --help

With publish
  --user-approved        the customer said yes to this destination and a public listing
  --show-private-link    print the link that manages the listing; it is a secret
  --journal FILE         where key, secret and body are kept (or PLACARD_JOURNAL;
                         else placard/journal.jsonl in XDG_STATE_HOME or ~/.local/state)
  --wait SECONDS         keep trying this long (120)

Exit codes
  0  done
  1  refused by the service
  2  wrong usage, or the journal cannot be used: nothing was sent
  3  unknown or temporary: run the same command again later, the credentials are kept
`
