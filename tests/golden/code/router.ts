import type { Request, Response } from "./http";
import * as log from "./log";

/** What answers a request. */
export type Handler = (request: Request) => Promise<Response>;

export interface Route<P = unknown> {
  readonly pattern: string;
  params(path: string): P | null;
}

export enum Method {
  Get = "GET",
  Post = "POST",
}

@injectable()
export abstract class Router implements Route {
  private readonly handlers = new Map<string, Handler>();

  abstract readonly pattern: string;
  abstract params(path: string): unknown;

  constructor(private readonly prefix: string) {}

  on = (method: Method, path: string, handler: Handler): this => {
    this.handlers.set(`${method} ${this.prefix}${path}`, handler);
    return this;
  };

  async handle(request: Request): Promise<Response> {
    const handler = this.handlers.get(`${request.method} ${request.path}`);
    if (!handler) {
      log.warn("no route", request.path);
      return { status: 404, body: "" };
    }
    return handler(request);
  }
}

export namespace Paths {
  export function join(...parts: string[]): string {
    return parts.join("/").replace(/\/+/g, "/");
  }
}

declare module "express" {
  function app(): Router;
}
