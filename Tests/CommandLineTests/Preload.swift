import Foundation
import TestSupport
import Testing

/// A library of `Tests/Faults` to be loaded before all others.
enum Preload {
    /// Builds `NAME.c` into `folder`.
    /// - Returns: The value for `LD_PRELOAD`; libraries already in it, such as the thread sanitizer's helper, stay.
    static func build(_ name: String, in folder: String) throws -> String {
        let source = Repository.root.appendingPathComponent("Tests/Faults/\(name).c").path
        let compiler = Process()
        compiler.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        compiler.arguments = ["clang", "-O1", "-shared", "-fPIC", "-o", "\(folder)/\(name).so", source]
        try compiler.run()
        compiler.waitUntilExit()
        try #require(compiler.terminationStatus == 0, "clang cannot build \(source)")
        let loaded = ProcessInfo.processInfo.environment["LD_PRELOAD"]
        return ["\(folder)/\(name).so", loaded].compactMap(\.self).joined(separator: ":")
    }
}
