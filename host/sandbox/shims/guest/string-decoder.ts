import { StringDecoder } from "string_decoder/";

export default { StringDecoder };
