// Serves a folder on loopback for the sample jobs: photo-server FOLDER [PORT]

import Foundation
import LoopbackServer

func fail(_ message: String, status: Int32) -> Never {
    FileHandle.standardError.write(Data("photo-server: \(message)\n".utf8))
    exit(status)
}

let arguments = CommandLine.arguments.dropFirst()
guard (1...2).contains(arguments.count), let folder = arguments.first else {
    fail("usage: photo-server FOLDER [PORT]", status: 2)
}
guard let port = arguments.count == 2 ? arguments.last.flatMap({ UInt16($0) }) : 8099 else {
    fail("the port must be a number from 0 to 65535; 0 takes any that is free", status: 2)
}

// Blocked before the first thread starts, so that all threads inherit the mask and sigwait receives the signals.
var signals = sigset_t()
sigemptyset(&signals)
sigaddset(&signals, SIGINT)
sigaddset(&signals, SIGTERM)
pthread_sigmask(SIG_BLOCK, &signals, nil)

do {
    let handler = try FolderHandler(folder: folder)
    let server = try LoopbackServer(port: port, handler: handler.respond)
    let line = "serving \(folder) at \(server.address)/\n"
    try FileHandle.standardOutput.write(contentsOf: Data(line.utf8))
    var received: Int32 = 0
    sigwait(&signals, &received)
    server.stop()
} catch {
    fail("\(error)", status: 1)
}
