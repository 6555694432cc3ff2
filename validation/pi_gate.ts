/** An extension of a user's own, as Pi's documentation shows one: it asks before some commands. */
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";

const OPTIONS = ["Red", "Blue"];

export default function (pi: ExtensionAPI): void {
	pi.on("tool_call", async (event, ctx) => {
		const command = event.toolName === "bash" ? String(event.input.command) : "";
		if (!command.includes("# ask")) return;
		const allowed = await ctx.ui.confirm("Allow it?", command);
		if (!allowed) return { block: true, reason: "not allowed" };
	});
	const dialogs = {
		choose: (ctx) => ctx.ui.select("Which colour?", OPTIONS),
		field: (ctx) => ctx.ui.input("Which name?", "a name"),
		edit: (ctx) => ctx.ui.editor("Which text?", ""),
		revise: (ctx) => ctx.ui.editor("Which text?", "some text"),
	};
	for (const [name, ask] of Object.entries(dialogs)) {
		pi.registerCommand(name, {
			description: `asks: ${name}`,
			handler: async (_words, ctx) => {
				ctx.ui.notify(`answered: ${await ask(ctx)}`, "info");
			},
		});
	}
}
