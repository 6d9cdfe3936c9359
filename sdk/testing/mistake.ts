/**
 * An error in the test itself, not in the program under test: a question without a matching rule, or an answer that
 * does not fit. It is not an error of the client, so that the program's error handling does not hide it.
 */
export class TestMistake extends Error {
  override name = "TestMistake";
}
