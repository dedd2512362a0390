/** In a page: the server that the driver of the page has started. */

import { connect } from "octavo-client";

export const localServer = async ({ fetch }) => ({ octavo: connect({ ...globalThis.platform.connection, fetch }), stop() {} });
export const realpathSync = (path) => path;
