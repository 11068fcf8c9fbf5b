// Conversations that no window should stumble over: endless ones, huge messages, wide tables, texts from the right, HTML.

const script = '<script>window.harm = 1</script><img src=x onerror="window.harm = 2">';

/** Text that would do harm where it is taken for HTML. */
export const harmful = `${script}<b onclick="window.harm = 3">bold</b> javascript:window.harm=4`;

const wide = () => {
  const cells = (name: string) => `| ${Array.from({ length: 200 }, (_, at) => `${name} ${at + 1}`).join(" | ")} |`;
  return [cells("mark"), `|${"---|".repeat(200)}`, ...Array.from({ length: 6 }, (_, row) => cells(`${row}.5`))].join(
    "\n",
  );
};

const megabyte = (line: string) => {
  const bytes = new TextEncoder().encode(line).length;
  return line.repeat(Math.ceil(1_048_576 / bytes));
};

const rightToLeft = `## خريطة الميناء

عمق الرصيف الداخلي **3.2 متر** عند الجزر، والرياح من الجنوب الغربي.

- العلامة A: رمل
- العلامة B: صخور (rock)
- English lines stay on the left.

שלום, הגאות מחר בבוקר בשעה 07:42.`;

const picture =
  "Before ![a chart of the harbour](data:image/png;base64,AAAA) after, ![far](https://example.com/p.png).";

type Exchange = [asked: string, answer: string];

/** Question and answer by scene; none: the scene is not about this. */
export function oddExchanges(scene: string): Exchange[] | null {
  switch (scene) {
    case "endless":
      return Array.from({ length: 2500 }, (_, at): Exchange => [`Mark ${at + 1}?`, `It is ${at + 1}.5 m deep.`]);
    case "huge":
      return [
        [megabyte("A line that somebody pasted, 粘贴进来的一行。\n"), "That was long."],
        ["And back?", megabyte("A line of **Markdown** that goes on, `code` and 中文。\n\n")],
      ];
    case "wide":
      return [["All marks?", `Here they are:\n\n${wide()}\n\nThat is all.`]];
    case "odd":
      return [
        ["عمق الرصيف الداخلي؟", rightToLeft],
        [
          harmful,
          `${picture}\n\n${script}\n\n<details><summary>More</summary>${harmful}</details>\n\n[x](javascript:alert(1))`,
        ],
      ];
    default:
      return null;
  }
}
