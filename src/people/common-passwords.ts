import { readFileSync } from "node:fs";

const LIST = new URL("../../vendor/common-passwords/passwords.txt", import.meta.url);
let list: ReadonlySet<string> | undefined;

/**
 * Returns whether a password is among the 10,000 most common ones with eight characters and more, or is a word that is
 * guessed first.
 *
 * @param plain - in lower case
 */
export function isCommonPassword(plain: string): boolean {
  return isGuessedWord(plain) || (list ??= new Set(readFileSync(LIST, "utf8").trimEnd().split("\n"))).has(plain);
}

/** Returns whether this is a word to which people only add digits and signs. @param plain - in lower case */
export function isGuessedWord(plain: string): boolean {
  return GUESSED_WORDS.has(plain);
}

/** In lower case. Repetitions and rows of keys are recognized without the list. */
const GUESSED_WORDS: ReadonlySet<string> = new Set(
  `1q2w3e4r 1qaz2wsx 1qazxsw2 q1w2e3r4 qwer1234 qwerty12 qwerty123 qwertz123 azerty123 asdf1234 zaq12wsx zaq1zaq1 zxcv1234
  a1b2c3d4 a123456789 abc12345 abcd1234 abcdefgh1 aa123456 aaa111222 p@ssw0rd p@ssword pa$$word pa55word passw0rd password
  passwort passwords password1 password12 password123 mypassword newpassword yourpassword thepassword changeme changeit
  changeme123 change_me letmein letmein1 letmeinnow welcome welcome1 welcome123 welcomehome admin admin123 admin1234
  administrator adminadmin root rootroot toortoor superuser superman batman spiderman iloveyou iloveyou1 iloveyou2 ilovegod
  ihateyou loveyou lovelove lovely fuckyou sunshine sunshine1 princess princess1 football football1 baseball basketball
  softball volleyball liverpool liverpool1 chelsea arsenal manchester barcelona realmadrid juventus starwars startrek
  pokemon pokemon1 nintendo minecraft playstation computer internet samsung samsung1 iphone android google microsoft
  windows facebook linkedin instagram youtube twitter whatsapp whatever whatever1 trustno1 trustnoone master master123
  mustang corvette ferrari mercedes porsche chocolate butterfly butterfly1 elephant dolphin tigger monkey monkey123
  dragon dragon123 shadow shadow123 michael michelle jennifer jessica charlie charlie1 jonathan alexander alexandra
  victoria elizabeth daniel andrew joshua matthew christopher nicholas benjamin samantha stephanie patricia veronica
  caroline patrick babygirl babygirl1 sweetheart beautiful gorgeous forever friends friendship family123 happiness
  blessed blessing jesuschrist jesus123 godisgood heaven angel123 freedom liberty america canada england germany
  deutschland ireland scotland australia california florida newyork chicago dallas houston summer winter spring autumn
  january february september october november december monday friday rainbow diamond diamonds precious treasure
  midnight moonlight thunder lightning hurricane tornado phoenix warriors predator terminator metallica slipknot
  nirvana eminem blink182 greenday linkinpark rockstar guitar drummer musicman qazwsx qazwsxedc qweasd qweasdzxc
  asdfghjkl asdfasdf zxcvbnm zxcvbnm1 qwertyui qwertyuiop qwerty qwertz azerty default password! passphrase secret
  secret123 topsecret security test testing testtest testuser test1234 guest guest123 access accessdenied login login123
  user username user1234 temp temporary temp1234 service operator operator1 company company1 business office
  mailmail jordan jordan23 michael1 hunter hunter2 killer killer123 cookie cheese pepper ginger snoopy maggie bailey
  harley buster thomas robert william richard yankees steelers cowboys lakers packers eagles redskins gateway gandalf
  merlin wizard hellohello hello123 helloworld hello goodbye nothing anything something everything`
    .split(/\s+/)
    .filter(Boolean),
);
