import Foundation

// Damaged images, decoded, processed and encoded. The address sanitizer watches. See `Tests/Fuzzing/run`.
//
// usage: fuzz-images MUTANTS SECONDS FOLDER...          mutants of real files; NUKE_BATCH_SEED repeats a run
//        fuzz-images guided TARGET [ARGUMENT...]        what libFuzzer makes up, led by coverage

// A function, since what a global still holds at the end would count as leaked.
func main() throws -> Int32 {
    let words = CommandLine.arguments
    if words.count > 2, words[1] == "guided" {
        return GuidedRun.run(target: words[2], arguments: Array(words.dropFirst(3)))
    }
    guard words.count > 3, let mutants = Int(words[1]), let seconds = Double(words[2]) else {
        print("usage: fuzz-images MUTANTS SECONDS FOLDER...\n       fuzz-images guided TARGET [ARGUMENT...]")
        return 2
    }
    return try MutantRun.run(mutants: mutants, seconds: seconds, folders: Array(words.dropFirst(3)))
}

exit(try main())
