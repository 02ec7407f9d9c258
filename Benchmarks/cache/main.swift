import Foundation

// A DataCache under load, for Benchmarks/cache, Tests/Faults and the tests of interruptions.

func fail(_ message: String) -> Never {
    FileHandle.standardError.write(Data("cache-bench: \(message)\n".utf8))
    exit(1)
}

let usage = """
    usage: cache-bench measure|open|abandon FOLDER COUNT SIZE
           cache-bench once FOLDER
           cache-bench work FOLDER WORKER SEED FIRST-VERSION STEPS|SECONDSs LIMIT
           cache-bench examine FOLDER JOURNAL...
    """
let words = CommandLine.arguments
guard words.count > 2 else { fail(usage) }
let path = words[2]
let numbers = words.dropFirst(3).map { Int($0) ?? -1 }
do {
    switch (words[1], words.count) {
    case ("measure", 5): try Scale(path: path, count: numbers[0], size: numbers[1]).measure()
    case ("open", 5): try Scale(path: path, count: numbers[0], size: numbers[1]).reopen(isKilled: false)
    case ("abandon", 5): try Scale(path: path, count: numbers[0], size: numbers[1]).reopen(isKilled: true)
    case ("once", 3): try await Trial.runOnce(path)
    case ("work", 8):
        try await Trial.run(
            path,
            worker: words[3],
            seed: UInt64(max(0, numbers[1])),
            first: numbers[2],
            length: words[6],
            limit: numbers[4]
        )
    case ("examine", 4...): try Trial.examine(path, journals: Array(words.dropFirst(3)))
    default: fail(usage)
    }
} catch {
    fail("\(error)")
}
