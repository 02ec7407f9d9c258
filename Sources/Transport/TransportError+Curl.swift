import CTransport
import Foundation

extension TransportError {
    /// The meaning of libcurl's result codes.
    /// - Parameters:
    ///   - code: The result, not `CURLE_OK`.
    ///   - systemError: The errno of the failed connection, 0 if there was none.
    ///   - detail: What libcurl wrote into its error buffer.
    init(code: CURLcode, systemError: Int32, detail: String) {
        let text = detail.isEmpty ? String(cString: curl_easy_strerror(code)) : detail
        switch code {
        case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY:
            self.init(.dns, text)
        case CURLE_COULDNT_CONNECT, CURLE_INTERFACE_FAILED:
            self.init(connectionError: systemError, text)
        case CURLE_OPERATION_TIMEDOUT:
            self.init(.timeout, text)
        case CURLE_SSL_CONNECT_ERROR:
            // The handshake broke, which overloaded servers do too; certificates have codes of their own.
            self.init(.tls, text, isTransient: true)
        case CURLE_GOT_NOTHING:
            self.init(.empty, "the server closed the connection without an answer")
        case CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_HTTP2, CURLE_HTTP2_STREAM:
            self.init(.reset, text)
        case CURLE_PARTIAL_FILE:
            self.init(.truncated, text)
        case CURLE_FILESIZE_EXCEEDED:
            self.init(.tooLarge, text)
        case CURLE_URL_MALFORMAT:
            self.init(.badURL, text)
        case CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER, CURLE_PEER_FAILED_VERIFICATION,
            CURLE_SSL_CACERT_BADFILE,
            CURLE_SSL_CRL_BADFILE, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_PINNEDPUBKEYNOTMATCH,
            CURLE_SSL_INVALIDCERTSTATUS, CURLE_SSL_CLIENTCERT, CURLE_SSL_ENGINE_NOTFOUND,
            CURLE_SSL_ENGINE_SETFAILED, CURLE_USE_SSL_FAILED, CURLE_SSL_ENGINE_INITFAILED:
            self.init(.tls, text)
        case CURLE_REMOTE_FILE_NOT_FOUND, CURLE_REMOTE_ACCESS_DENIED, CURLE_LOGIN_DENIED,
            CURLE_FTP_COULDNT_RETR_FILE:
            self.init(.notFound, text)
        case CURLE_OUT_OF_MEMORY:
            self.init(.local(errno: ENOMEM), text)
        default:
            // CURLE_UNSUPPORTED_PROTOCOL belongs here as well: schemes are checked before, so the peer is meant.
            self.init(.protocol, text)
        }
    }

    private init(connectionError: Int32, _ text: String) {
        switch connectionError {
        case EMFILE, ENFILE, ENOMEM, ENOBUFS, EADDRNOTAVAIL:
            let cause = String(cString: strerror(connectionError))
            self.init(.local(errno: connectionError), "this machine cannot connect now: \(cause)")
        case ETIMEDOUT:
            self.init(.timeout, text)
        default:
            // ENETUNREACH too: for a host that has only IPv6 addresses it says nothing of the others.
            self.init(.refused, text)
        }
    }
}
