import CFuzzer
import Foundation
import Imaging

/// One target under libFuzzer, which changes what it tries by the branches that it reached.
///
/// Swift and C of this package are instrumented; the system's libraries are not, so that what lies behind them is found by
/// chance alone.
enum GuidedRun {
    /// Runs a target with libFuzzer's arguments; 2 if there is no such target or no libFuzzer.
    static func run(target name: String, arguments: [String]) -> Int32 {
        guard let target = Target.all[name] else {
            print("fuzz: no target \"\(name)\"; there are \(Target.all.keys.sorted().joined(separator: " "))")
            return 2
        }
        chosen = target
        // libFuzzer keeps them as long as the program runs.
        let words: [UnsafeMutablePointer<CChar>?] = ([CommandLine.arguments[0]] + arguments).map {
            strdup($0)
        }
        let list = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>.allocate(capacity: words.count + 1)
        list.initialize(repeating: nil, count: words.count + 1)
        for (index, word) in words.enumerated() { list[index] = word }
        let exit = fuzzer_run(Int32(words.count), list) { bytes, count in
            GuidedRun.chosen(Data(UnsafeBufferPointer(start: bytes, count: count))) ? 0 : -1
        }
        guard exit >= 0 else {
            print("fuzz: libFuzzer is not in this build; use Tests/Fuzzing/run")
            return 2
        }
        return exit
    }

    // Set once, before libFuzzer calls back on this same thread; a C function cannot capture it.
    nonisolated(unsafe) private static var chosen: Target.Body = { _ in false }
}
