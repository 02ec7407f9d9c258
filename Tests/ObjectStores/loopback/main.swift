import Foundation
import LoopbackServer

// An object store on loopback that goes wrong as it is told, for the fault matrix.
//
// loopback-store BUCKET… prints a line of JSON as Tests/ObjectStores/start does. Each line of its standard input is a JSON
// object of settings, which it answers with the state of the store; the end of the input ends it.

let buckets = CommandLine.arguments.dropFirst().map { LoopbackObjectStore.Bucket($0) }
let first = AccessKey(accessKeyID: "AKIDFIRST", secretAccessKey: "first/secret+key=")
let store = try LoopbackObjectStore(buckets: Array(buckets), credentials: [first])
let faults = RandomFaults(store)

try answer(
    StoreDescription(
        endpoint: store.endpoint,
        region: store.region,
        accessKey: first.accessKeyID,
        secretKey: first.secretAccessKey,
        pathStyle: true,
        server: "loopback"
    )
)
while let line = readLine() {
    let settings = try JSONDecoder().decode(StoreSettings.self, from: Data(line.utf8))
    try settings.apply(to: store, faults)
    try answer(StoreState(store, listing: settings.list, dumping: settings.dump))
}
store.stop()

/// Prints a line of JSON, which the reader of a pipe gets at once.
func answer(_ value: some Encodable) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    try FileHandle.standardOutput.write(contentsOf: encoder.encode(value) + Data("\n".utf8))
}
