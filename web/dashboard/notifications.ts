interface Failure {
  /** A stable one; "": there is none. */
  word: string;
  sentence: string;
}

/** Reads an error of a channel: "word: sentence". */
export function readFailure(error: string): Failure {
  const [, word = "", sentence = error] = /^(\w+): (.+)$/s.exec(error) ?? [];
  return { word, sentence };
}
