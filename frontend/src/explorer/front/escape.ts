/** Text for plotly, which reads tags and makes links live: names from models must stay plain text. */
export function escapeText(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;').replace(/https?:/gi, (m) => m.replace(':', '\u2236'))
}
