/**
 * The test itself is wrong, not the program under test: a question that no rule answers, or an answer that does not fit.
 * It is none of the client's errors, so that what a program does about those does not hide it.
 */
export class TestMistake extends Error {
  override name = "TestMistake";
}
