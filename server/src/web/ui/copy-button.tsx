/** Copies the element of that id. `assets/copy.js` shows it. */
export const CopyButton = ({ source, label }: { source: string; label: string }) => (
  <button class="btn ink low" type="button" data-copy={source} hidden>
    {label}
  </button>
)
