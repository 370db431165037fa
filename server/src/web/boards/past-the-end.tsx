/** A page after the last place: who stood there has been refunded or hidden since, or nobody ever did. */
export const PastTheEnd = ({ path }: { path: string }) => (
  <p class="blank">
    No place is this far down. <a href={path}>Back to the top</a>
  </p>
)
