import Foundation

/// A Markdown file with its fenced blocks.
struct MarkdownDocument {
    /// A fenced block, such as one that opens with ```` ```console exit=1 ````.
    struct Block {
        /// The first word after the fence, such as `console`; empty where there is none.
        let language: String
        /// The other words: `exit=1` is a value, `untested="needs root"` a quoted one, a word alone has an empty value.
        let attributes: [String: String]
        /// The index of the block's first line in the document.
        let start: Int
        /// The lines between the fences.
        let lines: [String]

        /// The lines, each with its end.
        var text: String { lines.map { $0 + "\n" }.joined() }
    }

    /// A command of a `console` block: a line that begins with `$ `.
    struct Command {
        /// The text after the prompt, without a remark behind it.
        let text: String
        /// The index in the document of the first line of its output.
        let outputStart: Int
        /// The lines up to the next command.
        let output: [String]
    }

    /// The path below the repository, such as `docs/paths.md`.
    let name: String
    private(set) var lines: [String]
    /// The blocks in their order.
    let blocks: [Block]

    /// Reads the file at `path`.
    /// - Throws: the error of the read.
    init(path: String, name: String) throws {
        self.name = name
        lines = try String(contentsOfFile: path, encoding: .utf8).components(separatedBy: "\n")
        blocks = Self.blocks(in: lines)
    }

    private static func blocks(in lines: [String]) -> [Block] {
        var blocks: [Block] = []
        var open: (info: String, start: Int)?
        for (index, line) in lines.enumerated() where line.hasPrefix("```") {
            if let (info, start) = open {
                blocks.append(block(info, start, Array(lines[start..<index])))
                open = nil
            } else {
                open = (String(line.dropFirst(3)), index + 1)
            }
        }
        return blocks
    }

    private static func block(_ info: String, _ start: Int, _ lines: [String]) -> Block {
        var attributes: [String: String] = [:]
        let words = info.matches(of: /([\w-]+)(?:=("[^"]*"|\S+))?/)
        for word in words.dropFirst() {
            attributes[String(word.1)] = word.2.map { $0.trimmingCharacters(in: ["\""]) } ?? ""
        }
        let language = words.first.map { String($0.1) } ?? ""
        return Block(language: language, attributes: attributes, start: start, lines: lines)
    }

    /// The commands of a `console` block.
    static func commands(of block: Block) -> [Command] {
        let starts = block.lines.indices.filter { block.lines[$0].hasPrefix("$ ") }
        return starts.enumerated().map { number, start in
            let end = number + 1 < starts.count ? starts[number + 1] : block.lines.count
            let text = block.lines[start].dropFirst(2).split(separator: "   #", maxSplits: 1).first ?? ""
            return Command(
                text: text.trimmingCharacters(in: .whitespaces),
                outputStart: block.start + start + 1,
                output: Array(block.lines[(start + 1)..<end])
            )
        }
    }

    /// Puts `output` in the place of what the document shows of a command.
    mutating func replace(_ command: Command, by output: [String]) {
        lines.replaceSubrange(command.outputStart..<command.outputStart + command.output.count, with: output)
    }
}
