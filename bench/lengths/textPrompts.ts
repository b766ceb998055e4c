// Prompts of text that is not code, for a code model to continue: prose, lists and conversations. Its drafter may be
// right about little there.

export const TEXT_PROMPTS: readonly string[] = [
  `# Taskboard

Taskboard keeps the work of a small team in one place. It runs on a single machine and needs no database.

## Why

Most tools of this kind ask for an account, send everything to a server and show ten views of the same list. We wanted`,
  `User: What is the difference between a process and a thread?
Assistant: A process has its own memory, and threads of a process share it.
User: When should I use more than one process?
Assistant:`,
  `Dear Ms Keller,

thank you for your letter of 12 March. We have looked into the delay of your order and found that the parcel was`,
  `## Contributing

Bug reports and pull requests are welcome. Before you start on something larger, please open an issue so that we can`,
  `<|im_start|>system
You are a helpful assistant.<|im_end|>
<|im_start|>user
Write a short story about a lighthouse keeper who finds a message in a bottle.<|im_end|>
<|im_start|>assistant
`,
  `The history of the bicycle begins in the early nineteenth century. In 1817 a German baron built a machine with two
wheels, which the rider pushed along with his feet. It had no pedals, and`,
  `Q: How do I make a good cup of coffee?
A: Grind the beans just before you brew them, and use water that is a little below boiling.
Q: How much coffee should I use?
A:`,
  `Meeting notes, 4 May

Present: Anna, Jonas, Mei, Tomas
- The release is moved to the end of the month, because two of the tests still fail on slow machines.
- Mei has talked to the customers. They would like`,
];
