/** The parts of a stream that are read here, of any version of the SDK. */
type Part = { type: string } | { type: "text-delta"; delta: string };

/**
 * Returns the stream, and calls said once when it ends, before its reader sees the end: with the text that went through it.
 * It is not called for a stream that failed or was cancelled before any text.
 */
export function observe<P extends Part>(stream: ReadableStream<P>, said: (text: string) => Promise<void>): ReadableStream<P> {
  const reader = stream.getReader();
  let text = "";
  let failed = false;
  let ended: Promise<void> | undefined;
  const end = () => (ended ??= failed && text === "" ? Promise.resolve() : said(text)); // cancelling also ends a pending read
  return new ReadableStream<P>({
    async pull(out) {
      try {
        const { done, value } = await reader.read();
        if (!done) {
          if (value.type === "text-delta" && "delta" in value) text += value.delta;
          if (value.type === "error") failed = true;
          out.enqueue(value);
          return;
        }
      } catch (error) {
        failed = true;
        await end();
        out.error(error);
        return;
      }
      await end();
      out.close();
    },
    async cancel(reason) {
      failed = true;
      try {
        await reader.cancel(reason);
      } finally {
        await end();
      }
    },
  });
}
