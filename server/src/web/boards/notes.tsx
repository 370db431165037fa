import { Message } from '../ui/message.tsx'
import { Minute } from '../ui/time.tsx'

/** A page after the last place: who stood there has been refunded or hidden since, or nobody ever did. */
export const PastTheEnd = ({ path }: { path: string }) => (
  <p class="blank">
    No place is this far down. <a href={path}>Back to the top</a>
  </p>
)

/** Said above boards that were read earlier. */
export const DatabaseAway = ({ asOf }: { asOf: number }) => (
  <Message>
    We can’t read our database right now. This is how the boards stood on <Minute at={asOf} />. Nothing can be
    bought until it is back.
  </Message>
)
