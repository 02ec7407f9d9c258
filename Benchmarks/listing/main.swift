import Files
import Foundation
import LoopbackServer
import ObjectStorage
import Transport

// A store with a bucket that is made up, and a client that lists it: see `run`.

let words = CommandLine.arguments
let bucket = "photos"
let credential = (key: "AKIDBENCH", secret: "secret")

/// Returns the key with a number; keys ascend with it.
func key(_ form: String, _ number: Int, of count: Int) -> String {
    let digits = String(1_000_000_000 + number).dropFirst()
    switch form {
    case "flat": return "photos/img-\(digits).jpg"
    case "digests":
        let step = UInt64.max / UInt64(count)
        let hexadecimal = String(UInt64(number) * step, radix: 16)
        return "photos/" + String(repeating: "0", count: 16 - hexadecimal.count) + hexadecimal + ".jpg"
    default:
        // Half of the keys are in one folder, the others in folders of 100.
        return number < count / 2
            ? "photos/archive/img-\(digits).jpg" : "photos/days/\(digits.prefix(7))/\(digits.suffix(2)).jpg"
    }
}

/// Serves until standard input ends, and prints the number of requests at each line.
func serve(_ form: String, _ count: Int, _ latency: Double) throws {
    let objects = LoopbackObjectStore.GeneratedObjects(
        count: count,
        key: { key(form, $0, of: count) },
        size: { 20_000 + $0 % 1000 }
    )
    let store = try LoopbackObjectStore(
        buckets: [LoopbackObjectStore.Bucket(bucket, generated: objects)],
        credentials: [.init(accessKeyID: credential.key, secretAccessKey: credential.secret)]
    )
    store.fault = { _ in .delayed(latency) }
    store.server.logsRequests = false
    print(store.endpoint)
    fflush(nil)
    while readLine() != nil {
        let counts = LoopbackObjectStore.Operation.Kind.allCases.map { ($0.rawValue, store.count(of: $0)) }
        let text = counts.filter { $0.1 > 0 }.map { "\"\($0)\": \($1)" }.joined(separator: ", ")
        print("{\(text)}")
        fflush(nil)
    }
}

/// Lists the bucket, and prints the keys, the seconds, the peak of memory in bytes and a digest.
func list(_ endpoint: String, width: Int, folder: String) async throws {
    let service = S3Service(
        try S3Configuration(endpoint: endpoint, region: "us-east-1"),
        credentials: FixedCredentials(AWSCredentials(accessKey: credential.key, secretKey: credential.secret))
    )
    let listing = ParallelListing(S3Client(service), bucket: bucket, prefix: "", width: width)
    let start = ContinuousClock.now
    let objects = try await listing.list(in: Folder(path: folder))
    let time = start.duration(to: .now) / .seconds(1)
    var usage = rusage()
    getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
    let processor =
        Double(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec)
        + Double(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6
    print(
        """
        {"keys": \(objects.listed), "seconds": \(time), "cpu": \(processor), "memory": \(usage.ru_maxrss * 1024), \
        "digest": "\(try objects.digest())"}
        """
    )
}

switch words.dropFirst().first {
case "serve": try serve(words[2], Int(words[3]) ?? 0, Double(words[4]) ?? 0)
case "list": try await list(words[2], width: Int(words[3]) ?? ParallelListing.width, folder: words[4])
default: print("usage: listing-bench serve FORM COUNT SECONDS | list ENDPOINT WIDTH FOLDER")
}
